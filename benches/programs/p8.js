await tools.hang({});
return 0;
